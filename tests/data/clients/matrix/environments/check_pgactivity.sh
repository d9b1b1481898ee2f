debian check-pgactivity
