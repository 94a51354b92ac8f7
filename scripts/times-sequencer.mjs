/**
 * Vitest's order of files: the longest first, so that no worker is left with one at the end. The small files of the
 * page come last; each project's files stay together, because another project needs another worker.
 */
import path from 'node:path';
import { BaseSequencer } from 'vitest/node';
import { top } from './lib.mjs';
import { expectedSeconds, readTimes } from './times.mjs';

const ORDER = ['plain', 'page'];

export default class LongestFirst extends BaseSequencer {
  async sort(specifications) {
    const { files } = readTimes();
    return specifications
      .map((spec) => ({
        spec,
        project: ORDER.indexOf(spec.project.name),
        seconds: expectedSeconds(path.relative(top, spec.moduleId).replaceAll(path.sep, '/'), files),
      }))
      .sort((a, b) => a.project - b.project || b.seconds - a.seconds)
      .map(({ spec }) => spec);
  }
}
