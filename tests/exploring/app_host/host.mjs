// A host of MCP Apps: it calls a tool of the server, and shows the answer in the app that the tool names.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AppBridge, PostMessageTransport, getToolUiResourceUri } from "@modelcontextprotocol/ext-apps/app-bridge";

const given = new URLSearchParams(location.search);
const seen = (window.seen = { links: [], calls: [], sizes: [], errors: [] });
const client = new Client({ name: "host", version: "1" }, { capabilities: {} });
await client.connect(new StreamableHTTPClientTransport(new URL(given.get("server"))));
const name = given.get("tool"), args = JSON.parse(given.get("arguments"));
const { tools } = await client.listTools();
const tool = tools.find((one) => one.name === name);
const uri = getToolUiResourceUri(tool);
const { contents: [page] } = await client.readResource({ uri });
seen.page = { mimeType: page.mimeType, meta: page._meta, size: page.text.length };

const frame = document.createElement("iframe");
frame.src = given.get("sandbox");
frame.title = name;
document.body.append(frame);
const theme = given.get("theme") ?? "light";
document.documentElement.dataset.theme = theme;
const bridge = new AppBridge(null, { name: "host", version: "1" }, { openLinks: {}, ...(given.has("silent") ? {} : { serverTools: {} }) }, {
  hostContext: { theme, locale: "en", displayMode: "inline", toolInfo: { tool } },
});
window.bridge = bridge;
bridge.onopenlink = async ({ url }) => { seen.links.push(url); return {}; };
bridge.onsizechange = ({ height }) => { seen.sizes.push(height); frame.style.height = `${height}px`; };
bridge.onsandboxready = () => bridge.sendSandboxResourceReady({ html: page.text, csp: page._meta?.ui?.csp });
bridge.oncalltool = (params) => { seen.calls.push(params.arguments); return client.callTool(params); };
bridge.oninitialized = async () => {
  await bridge.sendToolInput({ arguments: args });
  await bridge.sendToolResult(given.has("result") ? JSON.parse(given.get("result")) : await client.callTool({ name, arguments: args }));
  seen.isReady = true;
};
addEventListener("error", ({ message }) => seen.errors.push(message));
addEventListener("unhandledrejection", ({ reason }) => seen.errors.push(String(reason)));
await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
