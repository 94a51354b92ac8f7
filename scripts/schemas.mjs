#!/usr/bin/env node
/**
 * Writes the published JSON Schemas of scenarios and lessons from the shapes that read them. Tests hold that they are
 * current (packages/core/src/scenario/document/schema.test.ts, packages/core/src/lessons/parse.test.ts). Run it after
 * `npm run build`, or write them anew with those tests and `-u`.
 */
import { writeFileSync } from 'node:fs';
import { lessonSchema } from '@syncloop/core/lessons';
import { scenarioSchema } from '@syncloop/core/scenario';

for (const [name, schema] of [
  ['scenario', scenarioSchema()],
  ['lesson', lessonSchema()],
]) {
  const file = new URL(`../docs/${name}.schema.json`, import.meta.url);
  writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`);
  console.log(`docs/${name}.schema.json`);
}
