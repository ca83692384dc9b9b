# Makes rpart_*.txt and partykit_*.txt, and the rows with the original's predictions (*.csv).
# R 4.2.2, rpart 4.1.19, partykit 1.2-16: Rscript make.R (in this folder)
suppressMessages({library(rpart); library(partykit)})

keep <- function(name, fit, data, columns) {
  capture.output(print(fit), file = paste0(name, ".txt"))
  found <- data[columns]
  if (inherits(fit, "rpart") && fit$method == "class") {
    found$prediction <- predict(fit, data, type = "class")
    found <- cbind(found, round(predict(fit, data), 12))
  } else {
    found$prediction <- predict(fit, data)
  }
  write.csv(found, paste0(name, ".csv"), row.names = FALSE, na = "")
}

cars <- cu.summary[complete.cases(cu.summary), ]
set.seed(1)
wide <- data.frame(a = rnorm(120) * 1e4 + 1 / 3, b = runif(120), kind = factor(sample(c("p q", "r", "s"), 120, TRUE)))
wide$y <- factor(ifelse(wide$a > 2000 | (wide$b > 0.4 & wide$kind == "r"), "yes please", "no"))
keep("rpart_class", rpart(Kyphosis ~ ., kyphosis), kyphosis, c("Age", "Number", "Start"))
keep("rpart_iris", rpart(Species ~ ., iris), iris, names(iris)[1:4])
keep("rpart_number", rpart(Mileage ~ Price + Country + Type, cars), cars, c("Price", "Country", "Type"))
keep("rpart_rounded", rpart(y ~ a + b + kind, wide, minsplit = 5, cp = 0), wide, c("a", "b", "kind"))
keep("rpart_few_digits", rpart(Reliability ~ Price + Weight + Country, car.test.frame, method = "class"),
     car.test.frame[complete.cases(car.test.frame), ], c("Price", "Weight", "Country"))
keep("partykit_class", ctree(Species ~ ., iris), iris, names(iris)[1:4])
keep("partykit_rpart", as.party(rpart(Kyphosis ~ ., kyphosis)), kyphosis, c("Age", "Number", "Start"))
keep("partykit_number", as.party(rpart(Mileage ~ Price + Country + Type, cars)), cars, c("Price", "Country", "Type"))
air <- airquality[complete.cases(airquality), ]
flowers <- names(iris)[2:5]
keep("rpart_cars", rpart(mpg ~ ., mtcars, minsplit = 5), mtcars, names(mtcars)[2:11])
keep("rpart_deep", rpart(Species ~ ., iris, minsplit = 2, cp = 0), iris, names(iris)[1:4])
keep("rpart_flowers", rpart(Sepal.Length ~ ., iris, cp = 0.002), iris, flowers)
keep("rpart_air", rpart(Ozone ~ ., air, minsplit = 8), air, names(air)[2:6])
keep("rpart_weights", rpart(Kyphosis ~ ., kyphosis, weights = rep(1:3, 27)), kyphosis, c("Age", "Number", "Start"))
keep("partykit_flowers", ctree(Sepal.Length ~ ., iris), iris, flowers)
keep("partykit_unsure", ctree(Species ~ ., iris, alpha = 0.6, minsplit = 4, minbucket = 2), iris, names(iris)[1:4])
keep("partykit_air", ctree(Ozone ~ ., air), air, names(air)[2:6])
keep("partykit_cars", as.party(rpart(mpg ~ ., mtcars, minsplit = 5)), mtcars, names(mtcars)[2:11])
keep("partykit_deep", as.party(rpart(Species ~ ., iris, minsplit = 2, cp = 0)), iris, names(iris)[1:4])
keep("partykit_chicks", ctree(weight ~ Time + Diet, as.data.frame(ChickWeight)), as.data.frame(ChickWeight), c("Time", "Diet"))
keep("partykit_sprays", ctree(count ~ spray, InsectSprays), InsectSprays, "spray")
