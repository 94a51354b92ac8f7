import { field } from './field.js';
import { deleteOptions, object } from './meta.js';

/** Objects of policy/v1. */

export const eviction = object('Eviction', {
  deleteOptions: field(2, deleteOptions),
});
