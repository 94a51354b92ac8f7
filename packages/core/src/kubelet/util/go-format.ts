/** JSON as Go's encoding/json writes it: `<`, `>`, `&` and the line separators are escaped. upstream: json.Marshal */
export function goJSON(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A list of texts or numbers as fmt's %v prints it: `[a b]`. */
export const goList = (values: readonly (string | number)[]): string => `[${values.join(' ')}]`;
