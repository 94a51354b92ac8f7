/** The pods of this product, field by field, in words for people: for editors, `kubectl explain` and checks. */
export type { LocalText, SchemaNode, SchemaType } from './node.js';
export { childOf, itemOf, podSchema, schemaAt } from './pod-schema.js';
