/**
 * One job of the table in a process of its own, so that none has the memory or the compiled code of the one before, and
 * none that fails takes others with it. Arguments: the job's name, the file for its result, and the folder for what a
 * job keeps for the next round.
 */
import { writeFileSync } from 'node:fs';
import { jobs } from './jobs.mjs';

const [name, file, kept] = process.argv.slice(2);
const { bench, options, keeps } = jobs[name];
const { run } = await import(`../${bench}.mjs`);
const result = await run({ ...options, ...(keeps && { kept }) });
writeFileSync(file, JSON.stringify(result));
// A benchmark may leave something open.
process.exit(0);
