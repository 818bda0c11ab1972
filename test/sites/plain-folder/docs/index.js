console.log("a program");
