# Drivers, query builders and ORMs of Node. pg-native has a folder of its own: typeorm takes it where it is.
have node || debian nodejs npm
npm_packages --save-exact pg@8.23.1 pg-cursor@2.22.0 pg-query-stream@4.17.0 pg-copy-streams@7.0.0 \
  postgres@3.4.9 knex@3.3.0 kysely@0.28.18 sequelize@6.37.8 sequelize-auto@0.8.8 typeorm@1.1.1 \
  reflect-metadata@0.2.2 drizzle-orm@0.45.4 drizzle-kit@0.31.11 pg-promise@12.7.1
