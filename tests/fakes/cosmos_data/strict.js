// @vercel/cosmosdb-server, held to what Cosmos DB itself does: the key of a request's partition is heeded, its signature
// is verified, and what is not there is not found. It ends with its standard input.
const { AsyncLocalStorage } = require("node:async_hooks");
const crypto = require("node:crypto");
const LIB = "@vercel/cosmosdb-server/lib/";
const Items = require(LIB + "account/items").default;
const valueAt = require(LIB + "utils/get-value").default;
const trueHeader = require(LIB + "true-header");
const readDocument = require(LIB + "handler/read-document");

const underWay = new AsyncLocalStorage();
const KEY = Buffer.from(process.env.COSMOS_KEY, "base64");

function partition() {
  const header = underWay.getStore()?.headers["x-ms-documentdb-partitionkey"];
  return header ? JSON.parse(header) : null;
}

const query = Items.prototype.query;
Items.prototype.query = function (parameters, options) {
  const key = partition();
  const paths = (this._parent.read() || {}).partitionKey?.paths || [];
  if (!key || !paths.length) return query.call(this, parameters, options);
  const within = (item) => key.every((value, at) => value === valueAt(paths[at].slice(1).split("/"), item.read()));
  const data = new Map([...this._data].filter(([, item]) => within(item)));
  return query.call(Object.create(this, { _data: { value: data } }), parameters, options);
};

// Etags have the quotes that HTTP has around them.
const set = Items.prototype._set;
Items.prototype._set = function (data) {
  return set.call(this, { ...data, _etag: `"${data._etag}"` });
};

// It refuses queries whose text does not name the partition, which clients say in a header instead.
const isTrue = trueHeader.default;
trueHeader.default = (request, name) =>
  isTrue(request, name) ||
  (name === "x-ms-documentdb-query-enablecrosspartition" &&
    request.method === "POST" &&
    Boolean(request.headers["x-ms-documentdb-partitionkey"]));

const read = readDocument.default;
readDocument.default = (account, request, response, parameters) => {
  try {
    return read(account, request, response, parameters);
  } catch (problem) {
    if (!/of undefined/.test(problem.message)) throw problem;
    response.statusCode = 404;
    return { code: "NotFound", message: "There is no such document." };
  }
};

function isSigned(request) {
  const signature = /^type=master&ver=1.0&sig=(.+)$/.exec(decodeURIComponent(request.headers.authorization || ""));
  const parts = request.url.split("?")[0].split("/").filter(Boolean);
  const isFeed = parts.length % 2 === 1;
  const type = (isFeed ? parts.at(-1) : parts.at(-2)) || "";
  const link = decodeURIComponent((isFeed ? parts.slice(0, -1) : parts).join("/"));
  const date = (request.headers["x-ms-date"] || "").toLowerCase();
  const text = `${request.method.toLowerCase()}\n${type.toLowerCase()}\n${link}\n${date}\n\n`;
  return signature?.[1] === crypto.createHmac("sha256", KEY).update(text).digest("base64");
}

// Loaded last: it keeps what it finds of the above.
const { createHttpServer } = require("@vercel/cosmosdb-server");
const server = createHttpServer();
const [answer] = server.listeners("request");
server.removeAllListeners("request");
server.on("request", (request, response) => {
  if (isSigned(request)) return underWay.run(request, () => answer.call(server, request, response));
  response.writeHead(401, { "content-type": "application/json" });
  response.end(JSON.stringify({ code: "Unauthorized", message: "The signature is not that of the key." }));
});
process.stdin.resume().on("end", () => process.exit(0));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
