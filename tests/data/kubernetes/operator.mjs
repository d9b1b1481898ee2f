// Holds objects of the Prometheus operator against its types, with a list of objects on standard input.
// Prints a line for each mistake. Where npm has put the types is the first argument.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const folder = `${process.argv[2]}/@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1`;
for (const found of JSON.parse(readFileSync(0, "utf8"))) {
  const types = await import(pathToFileURL(`${folder}/${found.kind}.js`));
  try {
    new types[found.kind](found).validate();
  } catch (error) {
    console.log(`${found.kind}/${found.metadata.name}: ${error.message}`);
  }
}
