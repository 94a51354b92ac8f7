/** Reads recordings of a kubelet from files. */
import { basename } from 'node:path';
import { observed, type Recording } from '@syncloop/core/conformance/compare';
import { readRegular } from '../base/read-file.js';

/**
 * Reads a recording; for a file with steps alone, the rest is empty (see {@link hasStepsOnly}). Errors name the file
 * and its problem.
 */
export async function readRecording(file: string): Promise<Recording> {
  let text: string;
  try {
    text = (await readRegular(file)).toString('utf8');
  } catch (err) {
    throw new Error(`cannot read the recording ${file}: ${(err as Error).message}`);
  }
  let doc: Partial<Recording>;
  try {
    doc = JSON.parse(text) as Partial<Recording>;
  } catch (err) {
    throw new Error(`${file} is not JSON: ${(err as Error).message}`);
  }
  const stepsOnly = Array.isArray(doc?.steps) && !observed.some((field) => field in doc);
  for (const field of stepsOnly ? [] : (['steps', ...observed] as const)) {
    if (!Array.isArray(doc?.[field])) throw new Error(`${file} is not a recording: it has no list "${field}"`);
  }
  return { scenario: basename(file, '.json'), marks: [], cri: [], status: [], klog: [], ...doc } as Recording;
}
