export default 'not a tool yet';
