// An OAuth 2.1 issuer of tokens for RESOURCE, on https://localhost:PORT. Says "ready" when it is.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:https";
import { pathToFileURL } from "node:url";

const { resolve } = createRequire(`${process.env.NODE_PATH}/`);
const { default: Provider } = await import(pathToFileURL(resolve("oidc-provider")));

const { PORT, RESOURCE, SECRET, CERTIFICATE, KEY } = process.env;
const provider = new Provider(`https://localhost:${PORT}`, {
  clients: [
    {
      client_id: "trial",
      client_secret: SECRET,
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: [],
    },
  ],
  scopes: ["db:read"],
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_context, resource) => ({
        scope: resource === RESOURCE ? "db:read" : "",
        audience: resource,
        accessTokenFormat: "jwt",
      }),
    },
  },
});
const server = createServer(
  { cert: readFileSync(CERTIFICATE), key: readFileSync(KEY) },
  provider.callback(),
);
server.listen(Number(PORT), "localhost", () => console.log("ready"));
