/** Both runs on the page: what was observed, and the twin that re-enacts it. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ObservedSession } from '@syncloop/core/debug/live';
import type { TwinScenario } from '@syncloop/core/twin';
import { TwinSession } from '@syncloop/core/twin/session';
import type { IO } from '../cli/io.js';
import type { EvidenceFile } from '../observe/evidence-files.js';
import { redactRecord } from '../redaction/redact.js';
import { serveSession } from '../server/session-host.js';
import { SessionPump } from '../server/session-pump.js';

export interface OpenTwinOptions {
  readonly host: string;
  readonly port: number;
  readonly webRoot: string;
  readonly revealSecrets: boolean;
  readonly io: IO;
}
