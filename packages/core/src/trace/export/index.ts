export { type ChromeTraceOptions, chromeEvents, chromeTrace, type TraceEvent } from './chrome.js';
export { importChromeTrace } from './chrome-import.js';
export {
  type ExportTraceServiceRequest,
  type OtlpOptions,
  type OtlpSpan,
  otlpLines,
  otlpRequests,
} from './otlp.js';
export { type KlogExportOptions, klogText, ndjson } from './text.js';
