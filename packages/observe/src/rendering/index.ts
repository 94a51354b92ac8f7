export { htmlDocument } from './document.js';
export { clean, cleanLines, escapeHtml, escapeMarkdown, fenced } from './escape.js';
