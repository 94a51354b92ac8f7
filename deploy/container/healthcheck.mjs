/**
 * Asks the page of `serve`, or a kubelet's /healthz; ends with 0 if it answers, else with 1. SYNCLOOP_HEALTH names
 * one URL to ask instead of those two. A slim image has no curl.
 */
const given = process.env.SYNCLOOP_HEALTH;
const urls = given ? [given] : ['http://127.0.0.1:10248/healthz', 'http://127.0.0.1:7330/'];
const answers = await Promise.all(
  urls.map(async (url) => {
    try {
      const { status } = await fetch(url, { signal: AbortSignal.timeout(2000), redirect: 'error' });
      return { url, why: status === 200 ? '' : `it answered ${status}` };
    } catch (error) {
      return { url, why: error.cause?.message ?? error.message, away: error.cause?.code === 'ECONNREFUSED' };
    }
  }),
);
// A kubelet also serves the page: who listens must be well, and somebody must listen.
const unwell = answers.filter(({ why, away }) => why && !away);
const well = answers.some(({ why }) => !why) && unwell.length === 0;
if (!well) console.error(answers.map(({ url, why }) => `${url}: ${why || 'well'}`).join('; '));
process.exitCode = well ? 0 : 1;
