/** The pod's schema, for explain: loaded when somebody asks for a field. */
import type { PodSchema } from '@syncloop/core/kubectl';

let held: PodSchema | null = null;

export async function loadSchema(): Promise<PodSchema> {
  held ??= (await import('@syncloop/core/schema')).podSchema;
  return held;
}
/** Null until it was loaded. */
export const schemaNow = (): PodSchema | null => held;
