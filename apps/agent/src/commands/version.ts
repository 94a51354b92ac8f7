import { kubeletVersion, version } from '../base/version.js';
import type { Command } from './command.js';

export const command: Command = {
  usage: 'syncloop version',
  flags: {},
  async run(_argv, io) {
    io.out(`syncloop ${version} (behaves as kubelet ${kubeletVersion}; node ${process.version})\n`);
    return 0;
  },
};
