/** The program of the process in which a command reads strangers' files: see the room `limits`. */
import { optimizeLater } from './base/engine.js';

optimizeLater();
const [{ childIO }, { main }] = await Promise.all([import('./limits/child.js'), import('./main.js')]);
process.exitCode = await main(process.argv.slice(2), childIO());
