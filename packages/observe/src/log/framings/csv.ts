import { exported } from './exports.js';
import type { Unframed } from './framing.js';

/** Most characters of a row, whose fields may have newlines. */
const LONGEST_ROW = 1024 * 1024;
const MESSAGE = /^(?:@?message|_raw|line|log|content|body|textpayload|jsonpayload\.message)$/i;
const OTHER = /time|date|host|service|source|level|status|stream|pod|node|index|^_id$|ident|unit/i;

/** The fields of a row; null if it goes on in the next line. */
function fieldsOf(row: string, separator: string): string[] | null {
  const fields: string[] = [];
  for (let i = 0; ; i++) {
    let value = '';
    if (row[i] === '"') {
      for (i++; ; i++) {
        const quote = row.indexOf('"', i);
        if (quote < 0) return null;
        value += row.slice(i, quote);
        i = quote + 1;
        if (row[i] !== '"') break;
        value += '"';
      }
      const end = row.indexOf(separator, i);
      i = end < 0 ? row.length : end;
    } else {
      const end = row.indexOf(separator, i);
      value = row.slice(i, end < 0 ? row.length : end);
      i = end < 0 ? row.length : end;
    }
    fields.push(value);
    if (i >= row.length) return fields;
  }
}

/** Reads rows of a file whose first line names the columns: exports of Datadog, Kibana, CloudWatch, Grafana, Splunk. */
export class CSVRows {
  private open = '';

  private constructor(
    private readonly columns: readonly string[],
    private readonly separator: string,
  ) {}

  /** Null if the line does not name columns of which one is a message. */
  static of(header: string): CSVRows | null {
    if (/^[{[]/.test(header)) return null;
    for (const separator of [',', '\t', ';']) {
      if (!header.includes(separator)) continue;
      const columns = fieldsOf(header, separator)?.map((one) => one.trim());
      if (columns && columns.length < 200 && columns.some((c) => MESSAGE.test(c)) && columns.some((c) => OTHER.test(c)))
        return new CSVRows(columns, separator);
    }
    return null;
  }

  /** Takes the next line: the row that it ends, or null if the row goes on. */
  read(line: string): Unframed | null {
    const row = this.open === '' ? line : `${this.open}\n${line}`;
    const values = fieldsOf(row, this.separator);
    if (!values && row.length < LONGEST_ROW) {
      this.open = row;
      return null;
    }
    this.open = '';
    const fields = new Map((values ?? [row]).map((value, i) => [(this.columns[i] ?? '').toLowerCase(), value]));
    return exported(fields, 'csv') ?? { text: row, framing: 'csv' };
  }
}
