// Lets the official server run here: what it asks of https://dev.azure.com goes to the address in AZURE_DEVOPS_FAKE,
// which sees the host that was meant.

const http = require("node:http");
const https = require("node:https");
const Module = require("node:module");

const CLOUD = "dev.azure.com";
const fake = new URL(process.env.AZURE_DEVOPS_FAKE);
const agents = new WeakMap();
const { request } = https;
const load = Module._load;

// Connections are kept, or not, as the program would have kept them.
function agentLike(agent) {
  if (!agents.has(agent)) {
    agents.set(agent, new http.Agent({ keepAlive: agent.keepAlive, maxSockets: agent.maxSockets }));
  }
  return agents.get(agent);
}

https.request = (options, answered) => {
  if (options.host !== CLOUD) {
    return request(options, answered);
  }
  const { hostname: host, port } = fake;
  const headers = { ...options.headers, host: CLOUD };
  return http.request({ ...options, host, port, headers, agent: agentLike(options.agent) }, answered);
};

// The keychain is native code, which is built when scripts may run at installation, and not used with a token.
Module._load = (name, ...rest) => (name.endsWith("/keytar.node") ? {} : load(name, ...rest));
