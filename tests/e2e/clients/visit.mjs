// Pays one visit to a server, with one of the official clients, and prints what it saw there.

const modules = {
  client: ["@modelcontextprotocol/client", "@modelcontextprotocol/client"],
  sdk: ["@modelcontextprotocol/sdk/client/index.js", "@modelcontextprotocol/sdk/client/streamableHttp.js"],
};
const methods = {
  "tools/list": "listTools",
  "tools/call": "callTool",
  "resources/list": "listResources",
  "resources/read": "readResource",
  "prompts/list": "listPrompts",
  "prompts/get": "getPrompt",
};

const { library, options, url, headers, steps } = JSON.parse(process.argv[2]);
const [{ Client }, { StreamableHTTPClientTransport }] = await Promise.all(
  modules[library].map((name) => import(name)),
);

const client = new Client({ name: "visitor", version: "1.0.0" }, options);
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
await client.connect(transport);
const results = [];
for (const [method, params] of steps) {
  results.push(await client[methods[method]](params));
}
const version = transport.protocolVersion ?? client.getNegotiatedProtocolVersion();
console.log(JSON.stringify({ version, results }));
await client.close();
