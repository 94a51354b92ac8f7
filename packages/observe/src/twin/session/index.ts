export * from './answers.js';
export * from './pairing.js';
export * from './tools.js';
export * from './twin-session.js';
