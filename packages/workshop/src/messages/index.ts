export { parsedMessage, shapeMessage, thrownMessage } from './engine.js';
export { inWords, type Message, type MessageKey, message } from './message.js';
