/**
 * The script that the worker starts with, and nothing else. WebKit evaluates it once more when a part that is loaded
 * later imports it, so no part may: all code is in the program.
 */
import './session-program.js';
