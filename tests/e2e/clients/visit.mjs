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

const { library, options, url, headers, steps, answers } = JSON.parse(process.argv[2]);
const [{ Client }, { StreamableHTTPClientTransport }] = await Promise.all(
  modules[library].map((name) => import(name)),
);

const kinds = Object.fromEntries(Object.keys(answers).map((kind) => [kind, {}]));
const declared = Object.keys(answers).length ? { capabilities: { elicitation: kinds } } : {};
const client = new Client({ name: "visitor", version: "1.0.0" }, { ...options, ...declared });
const asked = [];
if (declared.capabilities) {
  const { ElicitRequestSchema } = library === "sdk" ? await import("@modelcontextprotocol/sdk/types.js") : {};
  client.setRequestHandler(ElicitRequestSchema ?? "elicitation/create", ({ params }) => {
    asked.push(params);
    return answers[params.mode ?? "form"];
  });
}
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
await client.connect(transport);
const results = [];
for (const [method, params] of steps) {
  results.push(await client[methods[method]](params));
}
const version = transport.protocolVersion ?? client.getNegotiatedProtocolVersion();
console.log(JSON.stringify({ version, results, asked }));
await client.close();
