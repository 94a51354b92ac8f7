/** The program of the process in which a command reads strangers' files: see the room `limits`. */
import { childIO } from './limits/child.js';
import { main } from './main.js';

process.exitCode = await main(process.argv.slice(2), childIO());
