export { type ChromeTraceOptions, chromeEvents, chromeTrace, type TraceEvent } from './chrome.js';
export { importChromeTrace } from './chrome-import.js';
export {
  type EndedSpan,
  type ExportTraceServiceRequest,
  type OtlpAttribute,
  type OtlpOptions,
  type OtlpRun,
  type OtlpSpan,
  OtlpSpans,
  OWN_SCOPE,
  otlpLines,
  otlpRequest,
  otlpRequests,
  otlpText,
} from './otlp.js';
export { type KlogExportOptions, klogText, ndjson } from './text.js';
