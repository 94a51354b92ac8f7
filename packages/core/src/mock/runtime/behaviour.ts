/** Containers whose image has no programs here do what was said of the image. */

import { formatBytes } from '../../base/index.js';
import type { ImageBehaviour, ImageSpecification } from '../images/types.js';
import type { Program } from '../process/world.js';
import { holdMemory } from '../programs/memory.js';
import { server } from '../programs/programs-servers.js';

const second = 1_000_000;

/** Returns the behaviour of a container of that name; by default it runs its own command. */
export function behaviourOf(image: ImageSpecification, container: string): ImageBehaviour {
  const { doesIn } = image;
  if (doesIn && Object.hasOwn(doesIn, container)) return doesIn[container] as ImageBehaviour;
  return image.does ?? { kind: 'command' };
}

/** The first process of such a container; null if it runs its command. */
export function behaviourProgram(behaviour: ImageBehaviour, ref: string): Program | null {
  switch (behaviour.kind) {
    case 'command':
      return null;
    case 'exits':
      return function* (proc) {
        proc.write(`simulated ${ref}: ends with code ${behaviour.code} in ${behaviour.after / second} s\n`);
        yield* proc.sleep(behaviour.after);
        return behaviour.code;
      };
    case 'needs':
      return function* (proc, world) {
        for (const s of ['TERM', 'INT', 'QUIT']) proc.caught.add(s);
        proc.write(`simulated ${ref}: needs ${formatBytes(behaviour.memory)} of memory\n`);
        const ready = proc.kernel.now() + second;
        if ((yield* proc.park(ready)) === 'signal') return 0;
        holdMemory(proc, world, behaviour.memory);
        yield* proc.park(null);
        return 0;
      };
    default: {
      const ports = behaviour.kind === 'serves' ? behaviour.ports : [];
      const status = (behaviour.kind === 'serves' ? behaviour.status : undefined) ?? 200;
      const answers = status === 200 ? '' : `, HTTP with ${status}`;
      const says = ports.length > 0 ? `serves on ${ports.join(', ')}${answers}` : 'runs';
      return server({
        stops: { TERM: 0, INT: 0, QUIT: 0 },
        stopTime: 20_000,
        startTime: 200_000,
        greeting: () => `simulated ${ref}: ${says}\n`,
        listeners: () =>
          ports.map((port) => ({
            port,
            secure: true,
            *http() {
              return { status, statusText: status === 200 ? 'OK' : '', body: status === 200 ? 'ok\n' : 'simulated\n' };
            },
            health: () => (status < 400 ? 'SERVING' : 'NOT_SERVING'),
          })),
      });
    }
  }
}

/** Programs that such an image would have, asked by a probe, a hook or `exec`: they say that all is well. */
export const standIn: Program = function* () {
  return 0;
};
