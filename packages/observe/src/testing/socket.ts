/** A conversation on the CRI socket, made by hand. */

export { FrameFlag as F, FrameType as T } from '../cri/frames.js';
export {
  answer,
  bytes,
  frame,
  headers,
  message,
  PREFACE,
  request,
  settings,
  trailers,
  u32,
} from '../twin/capture/http2.js';
