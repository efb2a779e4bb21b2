// Signs in from nothing with an official client: it discovers, registers, gets tokens, calls, and renews them.

const modules = {
  client: ["@modelcontextprotocol/client", "@modelcontextprotocol/client"],
  sdk: ["@modelcontextprotocol/sdk/client/index.js", "@modelcontextprotocol/sdk/client/streamableHttp.js"],
};
const { library, options, url, browser } = JSON.parse(process.argv[2]);
const [{ Client }, { StreamableHTTPClientTransport }] = await Promise.all(
  modules[library].map((name) => import(name)),
);

// What every program that uses the client keeps for it; the browser is asked to open a page.
const redirectUrl = "http://127.0.0.1:33418/callback";
const kept = { tokens: [] };
const provider = {
  redirectUrl,
  clientMetadata: { redirect_uris: [redirectUrl], client_name: "Visitor", token_endpoint_auth_method: "none" },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client; },
  tokens: () => kept.tokens.at(-1),
  saveTokens: (tokens) => { kept.tokens.push(tokens); },
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
  redirectToAuthorization: (address) => { kept.address = address; },
  invalidateCredentials: () => {},
};

async function callOnce() {
  const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
  const client = new Client({ name: "visitor", version: "1.0.0" }, options);
  try {
    await client.connect(transport);
  } catch (error) {
    if (!kept.address) throw error;
    const answer = await fetch(`${browser}?url=${encodeURIComponent(kept.address)}`);
    const came = new URL(await answer.text()).searchParams;
    kept.address = undefined;
    await transport.finishAuth(came.get("code"), came.get("iss") ?? undefined);
    return callOnce();
  }
  const result = await client.listTools();
  await client.close();
  return result.tools.map((tool) => tool.name);
}

const first = await callOnce();
kept.tokens.at(-1).access_token = "worn-out";
const second = await callOnce();
console.log(JSON.stringify({ first, second, tokens: kept.tokens.length }));
