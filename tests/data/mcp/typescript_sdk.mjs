// The protocol's own TypeScript SDK: over HTTP where MCP_URL says where, else with PGSIEVE.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { resolve } = createRequire(`${process.env.NODE_PATH}/`);
const load = (name) => import(pathToFileURL(resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");

const { ClientCredentialsProvider } = await load("client/auth-extensions.js");

const { ElicitRequestSchema } = await load("types.js");

const client = new Client(
  { name: "trial", version: "1" },
  { capabilities: { elicitation: {} } },
);
// What the person says to a form: the same in each field.
client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
  action: "accept",
  content: Object.fromEntries(
    Object.keys(params.requestedSchema.properties).map((name) => [name, "since March"]),
  ),
}));
const { MCP_URL, MCP_TOKEN, MCP_ISSUER, MCP_SECRET, PGSIEVE, UPSTREAM } = process.env;
// With an issuer the server is asked where tokens are given.
const bearer = () => ({
  requestInit: { headers: { Authorization: `Bearer ${MCP_TOKEN}` } },
});
const credentials = () => ({
  authProvider: new ClientCredentialsProvider({
    clientId: "trial",
    clientSecret: MCP_SECRET,
    expectedIssuer: MCP_ISSUER,
    scope: "db:read",
  }),
});
const transport = MCP_URL
  ? new StreamableHTTPClientTransport(new URL(MCP_URL), MCP_ISSUER ? credentials() : bearer())
  : new StdioClientTransport({ command: PGSIEVE, args: ["mcp", "--upstream", UPSTREAM] });
await client.connect(transport);
console.log("server:", client.getServerVersion().name);
const { tools } = await client.listTools();
console.log("tools:", tools.map((tool) => tool.name).join(" "));
// The SDK holds structured answers against the schemas that were listed.
const call = (name, given) => client.callTool({ name, arguments: given });
const rows = await call("query", { sql: "SELECT id, name FROM customers WHERE id < 3 ORDER BY id" });
console.log("rows:", JSON.stringify(rows.structuredContent.rows));
const refused = await call("query", { sql: "DELETE FROM customers" });
console.log("refused:", refused.isError, refused.structuredContent.error.rule);
const explained = await call("explain", { sql: "SELECT * FROM orders" });
console.log("explained:", explained.structuredContent.notes.length > 0);
const asked = await call("describe", { question: "Recent orders?", clarify: ["recency"] });
console.log("clarified:", asked.structuredContent.clarified.answers[0].answer);
const { resources } = await client.listResources();
console.log("resources:", resources.slice(0, 2).map(({ uri }) => uri).join(" "));
const read = await client.readResource({ uri: resources[0].uri });
console.log("read:", read.contents[0].text.includes("customers"));
const prompt = await client.getPrompt({ name: "write_sql", arguments: { question: "How many?" } });
console.log("prompt:", prompt.messages[0].content.text.includes("How many?"));
await client.close();
