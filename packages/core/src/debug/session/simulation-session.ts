import type { SimulationSource } from '../run/simulation.js';
import { LeanSimulationSession, type SimulationOptions } from './session.js';
import { type SessionTools, sessionTools } from './session-tools.js';

/** A simulation that somebody watches and steers, with all that can be asked of it. */
export class SimulationSession extends LeanSimulationSession {
  constructor(source: SimulationSource, options: SimulationOptions, tools: SessionTools = sessionTools) {
    super(source, options, tools);
  }
}
