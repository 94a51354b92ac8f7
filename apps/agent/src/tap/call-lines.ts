/** Calls as lines for a terminal, one for each when it has ended. */
import { GrpcCode, grpcCodeName } from '@syncloop/core/cri';
import { isListing } from '@syncloop/core/trace';
import type { CallEvidence, Evidence, ReturnEvidence } from '@syncloop/observe';

/** Most calls that wait for their end. */
const MOST = 1000;

/**
 * Prints calls as `12:00:01.250 RunPodSandbox 193 ms uid=… sandbox=…`: begin (UTC), method, duration, subject, and
 * error.
 */
export class CallLines {
  private readonly open = new Map<number, CallEvidence>();

  constructor(private readonly which: 'all' | 'changes') {}

  of(pieces: readonly Evidence[]): string[] {
    return pieces.flatMap((piece) => {
      if (piece.kind === 'gap') return [`${clock(piece.at)} gap: ${piece.why}`];
      if (piece.kind === 'container-event') return this.which === 'all' ? [`${clock(piece.at)} container event`] : [];
      if (piece.kind === 'call') {
        if (this.open.size >= MOST) this.open.delete(this.open.keys().next().value as number);
        this.open.set(piece.call, piece);
        return [];
      }
      return piece.kind === 'return' ? this.ended(piece) : [];
    });
  }

  private ended({ call, method, error, took, at, subject = {} }: ReturnEvidence): string[] {
    const began = this.open.get(call);
    this.open.delete(call);
    // The kubelet often asks for containers that are gone.
    const usual = isListing(method) && (!error || error.code === GrpcCode.NotFound);
    if (this.which === 'changes' && usual) return [];
    const { uid, sandbox, container } = subject;
    const words = [
      clock(began?.at ?? at),
      method,
      ...(took === null ? [] : [`${Math.round(took / 100) / 10} ms`]),
      ...(uid ? [`uid=${uid}`] : []),
      ...(sandbox ? [`sandbox=${sandbox.slice(0, 12)}`] : []),
      ...(container ? [`container=${container.slice(0, 12)}`] : []),
      ...(error ? [`${grpcCodeName(error.code)}: ${error.details}`] : []),
    ];
    return [words.join(' ')];
  }
}

const clock = (micros: number | null): string =>
  micros === null ? '?' : new Date(micros / 1000).toISOString().slice(11, 23);
