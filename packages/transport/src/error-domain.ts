/**
 * The domain of the error details (`google.rpc.ErrorInfo`) by which our servers tell our clients what the status code
 * alone does not: the reason is the code of the error, the metadata its pointer.
 */
export const errorDomain = 'cosi.dev';
