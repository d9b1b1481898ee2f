// Takes the JSON Schema of each revision of the Model Context Protocol out of the program with which
// its authors hold implementations against it: they publish the schemas in no other package.
//
//   node .ci/protocol_schemas.mjs PROGRAM FOLDER     writes FOLDER/2025-11-25.json and the like
import { readFileSync, writeFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';

const [program, folder] = process.argv.slice(2);
const source = readFileSync(program, 'utf8');

// The text of the object that begins there, up to its closing brace.
function objectAt(start) {
  let depth = 0;
  for (let at = start; at < source.length; at++) {
    const one = source[at];
    if (one === '{') depth++;
    if (one === '}' && --depth === 0) return source.slice(start, at + 1);
    if ('"\'`'.includes(one)) {
      for (at++; at < source.length && source[at] !== one; at++) if (source[at] === '\\') at++;
    }
  }
  throw new Error('an object without an end');
}

function found(pattern) {
  const match = source.match(pattern);
  if (!match) throw new Error(`${program} has no ${pattern}`);
  return match;
}

// Its table of schemas by revision; a revision is a text, or the name of one in brackets.
const [table] = found(/\{"2025-03-26":[^{}]*\}/);
for (const [, key, variable] of table.matchAll(/("[^"]+"|\[[\w$]+\]):([\w$]+)/g)) {
  const name = key.slice(1, -1).replaceAll('$', '\\$&');
  const revision = key[0] === '"' ? name : found(new RegExp(`[\\s,;]${name}=.(\\d{4}-\\d\\d-\\d\\d)`))[1];
  const start = source.indexOf(`${variable}={$schema:`);
  if (start < 0) throw new Error(`${program} has no schema of ${revision}`);
  const schema = runInNewContext(`(${objectAt(start + variable.length + 1)})`);
  writeFileSync(`${folder}/${revision}.json`, JSON.stringify(schema));
}
