/** Commands for the containers of the contract's cases. */
export const script = (text: string): string[] => ['sh', '-c', text];

/** Runs until it gets the stop signal, and then ends with 0. */
export const loop = script("trap 'exit 0' TERM; touch /tmp/ready; while true; do sleep 0.1; done");
/** Has no ear for the stop signal. */
export const stubborn = script("trap '' TERM; touch /tmp/ready; while true; do sleep 0.1; done");
/** Runs until `end` is executed in it, deaf to the stop signal, and then ends with a code of its own. */
export const until = (code: number): string[] =>
  script(`trap '' TERM; touch /tmp/ready; while ! [ -e /tmp/end ]; do sleep 0.05; done; exit ${code}`);
/** Run by exec: ends a script of `until`. */
export const end = ['touch', '/tmp/end'];
/** Runs and has no handler for anything. */
export const idle = ['sleep', '3600'];
/** Run by exec: waits until a script of above has set its trap. */
export const whenReady = script('while ! [ -e /tmp/ready ]; do sleep 0.05; done');

/** An id that nothing has. */
export const missing = 'f'.repeat(64);
/** An image that no node has, of a registry that nobody runs. */
export const absentImage = 'localhost/contract-absent:1';
