/**
 * The API objects of the session, as far as it hands them out: a simulation does, a recording or a live node does not.
 */
import type { NodeObjects } from '@syncloop/core/debug';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';

const NONE: NodeObjects = { pods: [], api: null, images: [] };
let held: { readonly id: string; readonly objects: NodeObjects; readonly refused: string } | null = null;

/** Returns the objects as the session last reported them; none before it did. */
export function knownObjects(): NodeObjects {
  return held && held.id === useSession.getState().info?.id ? held.objects : NONE;
}
/** Returns why the session has none to give, '' if it has. */
export function objectsRefused(): string {
  return held && held.id === useSession.getState().info?.id ? held.refused : '';
}

/**
 * Asks for them anew: an answer under way may be from before the last command. A refused question is not repeated in
 * this session.
 */
export async function freshObjects(): Promise<NodeObjects> {
  const id = useSession.getState().info?.id ?? '';
  if (held?.id === id && held.refused !== '') return NONE;
  try {
    const objects = await session.command({ do: 'objects' });
    held = { id, objects, refused: '' };
    return objects;
  } catch (error) {
    // A connection that was lost is not a refusal: it may be asked again once it is back.
    if (useSession.getState().phase !== 'ready') return NONE;
    held = { id, objects: NONE, refused: error instanceof Error ? error.message : String(error) };
    return NONE;
  }
}
