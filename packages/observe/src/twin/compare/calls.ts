import type { Json, RecordOf, Seq, TraceRecord } from '@syncloop/core/trace';
import { objectOf, textOf } from '../base/json.js';
import type { Draft, Drafts, Head } from './draft.js';
import { cleanConfig, scrub } from './scrub.js';

const BY_ID = new Set(['StopPodSandbox', 'RemovePodSandbox', 'StartContainer', 'StopContainer', 'RemoveContainer']);

/**
 * Calls that change something in the runtime. ExecSync of a probe is left out; upstream gives it a timeout, a hook's
 * has none.
 */
export class Calls {
  private readonly open = new Map<Seq, Draft>();
  /** No socket was observed: calls are taken from the log instead. */
  private readonly fromLogs: boolean;

  constructor(
    private readonly drafts: Drafts,
    records: readonly TraceRecord[],
  ) {
    // A span reports neither the request nor the pod that it is for.
    this.fromLogs = !records.some((r) => r.kind === 'cri-call' && r.request !== null);
  }

  take(r: TraceRecord): void {
    if (r.kind === 'cri-call' && r.request !== null) this.call(r);
    else if (r.kind === 'cri-return') this.answer(r);
    else if (this.fromLogs) this.fromLog(r);
  }

  private call(r: RecordOf<'cri-call'>): void {
    const draft = this.named(r, objectOf(r.request));
    if (draft) this.open.set(r.seq, draft);
  }

  private named(r: RecordOf<'cri-call'>, request: { readonly [key: string]: Json | undefined }): Draft | undefined {
    const { drafts } = this;
    const head: Head = { kind: 'call', seq: r.seq, time: r.time, what: r.method };
    const meta = objectOf(objectOf(request.config).metadata);
    const podOf = (config: unknown) => {
      const { uid, name, namespace } = objectOf(objectOf(config).metadata);
      return { uid: textOf(uid) || undefined, pod: name ? `${textOf(namespace)}/${textOf(name)}` : '' };
    };
    switch (r.method) {
      case 'RunPodSandbox': {
        const { uid, pod } = podOf(request.config);
        const draft = drafts.of(head, uid, pod, { config: cleanConfig(request.config) });
        draft.attempt = Number(meta.attempt ?? 0);
        return draft;
      }
      case 'CreateContainer': {
        const sandbox = drafts.names.unit(textOf(request.podSandboxId));
        const { uid, pod } = podOf(request.sandboxConfig);
        const draft = drafts.of(head, uid ?? sandbox?.uid, pod, { config: cleanConfig(request.config) });
        draft.container = textOf(meta.name);
        draft.attempt = Number(meta.attempt ?? 0);
        return draft;
      }
      case 'PullImage': {
        const { uid, pod } = podOf(request.sandboxConfig);
        const image = objectOf(request.image);
        return drafts.of(head, uid, pod, { image: textOf(image.userSpecifiedImage) || textOf(image.image) });
      }
      case 'RemoveImage':
        return drafts.of(head, undefined, '', { image: scrub(textOf(objectOf(request.image).image)) });
      case 'ExecSync':
        if (Number(request.timeout ?? 0) > 0) return undefined;
        return this.byId(head, r, request, { cmd: (request.cmd ?? []) as Json });
      case 'UpdateContainerResources': {
        const { containerId: _, ...rest } = request;
        return this.byId(head, r, request, cleanConfig(rest as Json));
      }
      case 'StopContainer':
        return this.byId(head, r, request, { timeout: Number(request.timeout ?? 0) });
      default:
        return BY_ID.has(r.method) ? this.byId(head, r, request) : undefined;
    }
  }

  private byId(
    head: Head,
    r: RecordOf<'cri-call'>,
    request: { readonly [key: string]: Json | undefined },
    details?: { [key: string]: Json },
  ): Draft {
    const unit = this.drafts.names.unit(textOf(request.containerId ?? request.podSandboxId));
    const draft = this.drafts.ofUnit(head, unit, '', details);
    return unit || r.uid === undefined ? draft : this.rename(draft, r.uid);
  }
  /** The observer knew the pod of the latest one from other evidence. */
  private rename(draft: Draft, uid: string): Draft {
    const { list } = this.drafts;
    const better = { ...draft, ...this.drafts.names.pod(uid) };
    list[list.length - 1] = better;
    return better;
  }

  private answer(r: RecordOf<'cri-return'>): void {
    const draft = this.open.get(r.call);
    if (!draft) return;
    this.open.delete(r.call);
    draft.took = r.took ?? r.time - draft.time;
    if (r.error) draft.details = { ...draft.details, error: scrub(r.error.details), code: r.error.code };
    else if (r.method === 'ExecSync') {
      const code = Number(objectOf(r.response).exitCode ?? 0);
      if (code !== 0) draft.details = { ...draft.details, exitCode: code };
    }
  }

  private fromLog(r: TraceRecord): void {
    const head = (what: string): Head => ({ kind: 'call', seq: r.seq, time: r.time, what });
    if (r.kind === 'step' && r.fn === 'startContainer' && (r.n === 2 || r.n === 3)) {
      const draft = this.drafts.of(head(r.n === 2 ? 'CreateContainer' : 'StartContainer'), r.uid, r.pod);
      draft.container = r.container ?? '';
    } else if (r.kind === 'enter' && r.fn === 'createPodSandbox') {
      const { uid, pod } = objectOf(r.args);
      this.drafts.of(head('RunPodSandbox'), textOf(uid) || undefined, textOf(pod));
    }
  }
}
