export { fleetNode, unreadNode } from './node.js';
export { fleetNodeShape } from './shape.js';
export { Sightings } from './sightings.js';
export { fleetStory, onOneClock } from './story.js';
export { fleetMarkdown, fleetText } from './text.js';
export type * from './types.js';
