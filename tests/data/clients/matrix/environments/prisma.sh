# prisma's client, its pg adapter and its schema engine in WebAssembly. The engines that are programs come
# from a server of prisma's own and are not needed: `prisma generate` asks whether there is one.
have node || debian nodejs npm
npm_packages --save-exact prisma@7.10.0 @prisma/client@7.10.0 @prisma/adapter-pg@7.10.0 \
  @prisma/driver-adapter-utils@7.10.0 \
  @prisma/schema-engine-wasm@7.10.0-4.0edf323efd1d98336f3f0a68684b56f689b900d3
cat >schema.prisma <<'MODELS'
datasource db {
  provider = "postgresql"
}

generator client {
  provider = "prisma-client-js"
  output   = "./client"
}

enum mood {
  sad
  ok
  happy
}

model item {
  id    Int       @id
  name  String
  price Decimal?  @db.Decimal(10, 2)
  made  DateTime? @db.Timestamptz(6)
  tags  String[]
  state mood?
  parts part[]
}

model part {
  item_id Int
  line    Int
  amount  Int?
  item    item @relation(fields: [item_id], references: [id])

  @@id([item_id, line])
}
MODELS
PRISMA_SCHEMA_ENGINE_BINARY=$(type -P true) CHECKPOINT_DISABLE=1 \
  node node_modules/prisma/build/index.js generate --schema schema.prisma
node -e "require('./client')"
