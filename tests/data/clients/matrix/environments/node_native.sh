# node-postgres over libpq, which is compiled here.
debian libpq-dev g++ make
npm_packages --save-exact pg@8.23.1 pg-native@3.9.0 pg-cursor@2.22.0 pg-query-stream@4.17.0 \
  pg-copy-streams@7.0.0
npm rebuild --silent libpq
node -e "require('pg-native')"
