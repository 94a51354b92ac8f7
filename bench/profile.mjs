/** For a profiler: `node --cpu-prof bench/profile.mjs steady|crashLoops|startUp [off|ring|session] [seconds]`. */
import { run } from './core.mjs';

const [part = 'steady', sink = 'ring', seconds = '5'] = process.argv.slice(2);
console.log(JSON.stringify(run({ part, sink, millis: Number(seconds) * 1000 })));
