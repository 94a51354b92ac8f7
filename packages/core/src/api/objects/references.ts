import { atomic, byValue, field, quantity, required, type Shape, str, struct } from './field.js';

/** The fields of LocalObjectReference, which other Go structs embed. */
export const localObject = { name: field(1, str) };
const localObjectReferenceFields = {
  ...localObject,
};
export interface LocalObjectReference extends Shape<typeof localObjectReferenceFields> {}
export const localObjectReference = struct<LocalObjectReference>('LocalObjectReference', localObjectReferenceFields, {
  atomic: true,
});
const objectReferenceFields = {
  kind: field(1, str),
  namespace: field(2, str),
  name: field(3, str),
  uid: field(4, str),
  apiVersion: field(5, str),
  resourceVersion: field(6, str),
  fieldPath: field(7, str),
};
export interface ObjectReference extends Shape<typeof objectReferenceFields> {}
export const objectReference = struct<ObjectReference>('ObjectReference', objectReferenceFields, { atomic: true });
export const objectFieldSelector = atomic('ObjectFieldSelector', {
  apiVersion: field(1, str, { default: 'v1' }),
  fieldPath: required(2, str),
});
export const resourceFieldSelector = atomic('ResourceFieldSelector', {
  containerName: field(1, str),
  resource: required(2, str),
  divisor: byValue(3, quantity),
});
