#!/usr/bin/env node
import { build, checkNode, install } from './lib.mjs';

checkNode();
await install();
process.exit(await build());
