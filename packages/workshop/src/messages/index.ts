export { parsedMessage, shapeMessage, thrownMessage } from './engine.js';
export { inBoth, inWords, type Message, type MessageKey, message } from './message.js';
