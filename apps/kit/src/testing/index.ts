export { AppProcess } from './app-process.js';
export { BuiltApp } from './built-app.js';
export { complaints } from './complaints.js';
export { EventReader, type ServerEvent } from './event-reader.js';
export { keyPair } from './key-pair.js';
export { type OpenedPage, PageBrowser, type PageSight } from './page-browser.js';
export { TemporaryFolder } from './temporary-folder.js';
