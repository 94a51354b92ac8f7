/** Containers whose image has no programs here do what was said of the image. */

import type { ImageBehaviour, ImageSpecification } from '../images/types.js';
import type { Program } from '../process/world.js';
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
    default: {
      const ports = behaviour.kind === 'serves' ? behaviour.ports : [];
      const says = ports.length > 0 ? `serves on ${ports.join(', ')}` : 'runs';
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
              return { status: 200, statusText: 'OK', body: 'ok\n' };
            },
            health: () => 'SERVING',
          })),
      });
    }
  }
}

/** Programs that such an image would have, asked by a probe, a hook or `exec`: they say that all is well. */
export const standIn: Program = function* () {
  return 0;
};
