/**
 * True if this page is a frame in somebody's article (`?embed=1`): the graph, the narrator and the transport, and
 * nothing kept.
 */
export const embedded: boolean =
  typeof location !== 'undefined' && new URLSearchParams(location.search).get('embed') === '1';
