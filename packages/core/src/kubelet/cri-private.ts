/**
 * Key of a context whose calls to the runtime carry what is the users' own (commands of an exec, what they print,
 * tokens of streams): records say that a call was made, and not what was in it.
 */
export const privateContent: unique symbol = Symbol('privateContent');
