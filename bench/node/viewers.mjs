/**
 * A process of its own with several clients of one session, each of which takes it as a page does. Arguments: URL,
 * count.
 */
import { connect } from '../../apps/agent/e2e/session-client.mjs';

const [url, count] = process.argv.slice(2);
const clients = [];
for (let i = 0; i < Number(count); i++) clients.push(await connect(url));
process.on('message', () => {
  const last = clients.map((client) => client.store.last);
  process.send({
    gaps: clients.reduce((sum, client) => sum + client.gaps, 0),
    newest: Math.max(...last),
    furthestBehind: Math.max(...last) - Math.min(...last),
  });
});
process.on('disconnect', () => process.exit());
process.send('ready');
