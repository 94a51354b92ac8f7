/** The least that can stand in between: bytes to and fro, unread. Arguments: the runtime's socket, its own. */
import net from 'node:net';
import { pipeline } from 'node:stream';

const [to, listen] = process.argv.slice(2);
const server = net.createServer((caller) => {
  const runtime = net.connect(to);
  // A connection that breaks ends both; whoever called sees it.
  pipeline(caller, runtime, () => {});
  pipeline(runtime, caller, () => {});
});
server.on('error', (error) => {
  console.error(`bench tap: ${listen}: ${error.message}`);
  process.exit(1);
});
server.listen(listen, () => process.send('ready'));
process.on('disconnect', () => process.exit(0));
