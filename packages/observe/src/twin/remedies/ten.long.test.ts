/** Incidents of which it is known what people did in the end: it is among what helps most, or is called unknown. */
import { readdirSync } from 'node:fs';
import { loadEras } from '@syncloop/core/kubelet';
import { findScenario, generatedScenario, parseScenario } from '@syncloop/core/scenario';
import type { Json } from '@syncloop/core/trace';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { captured, startedMillis } from '../../testing/capture.js';
import { objectOf } from '../base/json.js';
import { type Capture, captureOf, type Observed, observeCapture } from '../capture/index.js';
import { twinScenario } from '../make/index.js';
import { RemedySearch, subjectOf } from './search.js';
import type { RemedyReport, Subject } from './types.js';

beforeAll(() => loadEras());

interface Version {
  readonly era?: string;
  readonly minor?: string;
}
/** A scenario of the library with the version that its incident is of. */
function documentOf(name: string, { era, minor }: Version = {}): Json {
  const { expect: _, ...document } = objectOf(parse(findScenario(name).text));
  const spec = objectOf(document.spec);
  const node = { ...objectOf(spec.node), ...(minor && { emulatedVersion: minor }) };
  return { ...document, spec: { ...spec, node, continueOnError: true, ...(era && { era }) } } as Json;
}
function report(subject: Subject, kind?: string): RemedyReport | null {
  const work = new RemedySearch(subject, { ...(kind !== undefined && { kind }), runs: 40 }).work();
  let next = work.next();
  while (!next.done) next = work.next();
  return next.value;
}
const inScenario = (name: string, version?: Version, kind?: string): RemedyReport | null =>
  report(subjectOf({ name, text: '', document: documentOf(name, version) }, 'simulated'), kind);
const inTwin = ({ records, observation }: Observed, kind?: string): RemedyReport | null =>
  report(subjectOf(twinScenario(records, { epochMicros: observation.epochMicros }), 'twin'), kind);

const captureIn = (name: string): Capture => ({
  startedMillis: startedMillis(name),
  until: 3600e6,
  files: new Map(
    readdirSync(new URL(`../../../../core/testdata/attach/${name}/`, import.meta.url))
      .filter((file) => /^(kubelet\.v[24]\.log|pods\.ndjson|cri-bytes\.ndjson)\.gz$/.test(file))
      .map((file) => file.slice(0, -3))
      .map((file) => [file, captured(file, name)]),
  ),
});

const helping = ({ tried }: RemedyReport): string[] =>
  tried.filter(({ effect }) => effect === 'prevents' || effect === 'lessens').map(({ text }) => text.en);

describe('what people did in the end', () => {
  it.each<{ of: string; version?: Version; kind?: string; did: RegExp; place: number }>([
    // The command became a loop of its own, or a Job.
    { of: 'clean-exit', did: /^With the command of app in a loop of its own/, place: 1 },
    // The kubelet is started after chrony has set the clock.
    { of: 'clock-back', did: /^With the clock set before the kubelet starts it does not happen\.$/, place: 1 },
    // v1.27 wakes the worker of an orphan. Those who could not wait did not delete by force.
    {
      of: 'forced-delete',
      version: { era: 'v1.25' },
      kind: 'force-deleted',
      did: /^With a kubelet v1\.27 instead of v1\.25 .* for 1\d s instead of \d\d s; with a kubelet v1\.26 less is gained\.$/,
      place: 4,
    },
    {
      of: 'forced-delete',
      kind: 'force-deleted',
      did: /^With web deleted with a grace period instead of by force it does not happen\.$/,
      place: 1,
    },
    {
      of: 'orphan-files',
      did: /^With lost deleted with a grace period instead of by force it does not happen\.$/,
      place: 1,
    },
    // v1.35 keeps a container ready that was ready before.
    {
      of: 'ready-flaps',
      version: { era: 'v1.32' },
      did: /^With a kubelet v1\.35 instead of v1\.32 .* for 1 s instead of 2\.1 s; with a kubelet v1\.34 less is gained\.$/,
      place: 2,
    },
    {
      of: 'ready-flaps',
      version: { era: 'v1.32', minor: '1.33' },
      did: /^With a kubelet v1\.35 instead of v1\.33 /,
      place: 2,
    },
    // The disk was repaired, and the timeout raised until then.
    {
      of: 'name-reserved',
      did: /^With runtimeRequestTimeout 210s instead of 120s .* it does not happen; with runtimeRequestTimeout 180s it does\.$/,
      place: 1,
    },
    { of: 'slow-pleg', did: /^With the fault “hung mount” repaired it does not happen\.$/, place: 2 },
  ])('in the post-mortem $of is found ($version)', ({ of, version, kind, did, place }) => {
    const found = inScenario(`postmortem-${of}`, version, kind);
    const list = found ? helping(found) : [];
    expect(list[place - 1]).toMatch(did);
    for (const { scenario } of found?.tried ?? [])
      expect(parseScenario(scenario, 'remedy.yaml').steps.length).toBeGreaterThan(0);
  });

  it.each(['static-middle', 'out-of-cpu', 'half-ended'])(
    'is an update in %s, and no kubelet that runs here has the bug',
    (of) => {
      for (const version of [{ era: 'v1.25', minor: '1.22' }, { era: 'v1.25' }, {}]) {
        const found = inScenario(`postmortem-${of}`, version);
        // What the API server refuses of a pod that is gone is another thing.
        expect(found?.kind ?? 'api-refused').toBe('api-refused');
      }
    },
  );

  it.each<{ of: string; kind?: string; did: RegExp | null; unknown: RegExp }>([
    { of: 'v1.36-v4-calls/post-start-fails', did: /^With no postStart hook in app/, unknown: /^why the hook failed$/m },
    // The program was mended: nothing that the kubelet does helps, and that is what must be said.
    { of: 'v1.36-v4/crash-loop', did: null, unknown: /^why the program ended: its own log says it/ },
    { of: 'v1.33-v4/crash-loop', did: null, unknown: /^why the program ended: its own log says it/ },
    {
      of: 'v1.29-v4/liveness-failure',
      did: null,
      unknown:
        /^whether app would have answered later: failureThreshold 2 and periodSeconds 1 gave it 2 s, and each failure more that failureThreshold allows gives it another 1 s$/m,
    },
  ])('after a capture of a real kubelet, $of', ({ of, kind, did, unknown }) => {
    const found = inTwin(observeCapture(captureIn(of)), kind) as RemedyReport;
    if (did) expect(helping(found)[0]).toMatch(did);
    else expect(helping(found)).toEqual([]);
    expect(found.unknown.map(({ en }) => en).join('\n')).toMatch(unknown);
  });

  it.each<{ of: string; version?: Version; kind?: string; did?: RegExp; unknown?: RegExp }>([
    { of: 'postmortem-clean-exit', did: /^With restartPolicy OnFailure instead of Always for tick it does not happen/ },
    {
      of: 'postmortem-orphan-files',
      kind: 'container-exit',
      did: /^With lost deleted with a grace period instead of by force it does not happen/,
    },
    {
      of: 'postmortem-forced-delete',
      version: { era: 'v1.25' },
      kind: 'force-deleted',
      did: /^With web deleted with a grace period instead of by force it does not happen/,
    },
    {
      of: 'readiness',
      did: /^With failureThreshold 4 instead of 2 in the readinessProbe of server it does not happen; with failureThreshold 3 it does\.$/,
    },
    {
      of: 'postmortem-name-reserved',
      unknown:
        /1\d\d s after the call it still kept the name reserved, and 20\d s after it no longer did, so a runtimeRequestTimeout of 20\ds would have been enough$/m,
    },
    { of: 'image-missing', did: /^With the image registry\.example\/team\/app:1\.0 on the node/ },
  ])('is found in the twin of what a kubelet left behind, too: $of', ({ of, version, kind, did, unknown }) => {
    const capture = captureOf(generatedScenario(documentOf(of, version), ''), { until: 300e6 });
    const found = inTwin(observeCapture(capture), kind) as RemedyReport;
    if (did) expect(helping(found)[0]).toMatch(did);
    if (unknown) expect(found.unknown.map(({ en }) => en).join('\n')).toMatch(unknown);
  });
});
